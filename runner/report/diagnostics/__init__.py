"""What a validation found -> text for people, and documents for programs."""
