"""Operations on the installation itself: its console, its schedules, its jobs."""
