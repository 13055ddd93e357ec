"""The Model Context Protocol: memory as tools, resources and a prompt, over stdio and HTTP. Loaded when first asked."""
