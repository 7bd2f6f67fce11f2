"""Operations of OpenAPI documents as http tools, made while documents are read: a run knows nothing of OpenAPI."""
