"""Chats: a conversation with an agent, turn by turn, with commands in between."""
