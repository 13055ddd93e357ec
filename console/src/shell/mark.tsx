export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M10 25V8h7.200a5.400 5.400 0 0 1 0 10.800H10" fill="none" stroke="var(--on-accent)" strokeWidth="2.600" strokeLinecap="round" strokeLinejoin="round" />
      <circle cx="22.600" cy="24.200" r="1.900" fill="var(--on-accent)" />
    </svg>
  );
}
