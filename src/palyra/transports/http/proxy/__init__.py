"""The protocols of OpenAI and Anthropic: clients of either point at us, and remember."""
