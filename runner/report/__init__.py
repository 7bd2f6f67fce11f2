"""What a person or a program is told: diagnostics and events -> text and JSON."""
