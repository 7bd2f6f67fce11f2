"""The YAML 1.2 core schema over PyYAML: bytes -> nodes -> plain data, every mistake a diagnostic."""
