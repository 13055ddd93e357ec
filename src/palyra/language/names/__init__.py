"""Who is meant: by a name, by what somebody is to the speaker, by a word for one just named."""
