/** The gate: two posts, an arch, and what may pass. */
export function Brand({ size = 24 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      aria-hidden="true"
      focusable="false"
      className="brand-mark"
    >
      <rect width="32" height="32" rx="8" />
      <path className="arch" d="M9 24V11a7 7 0 0 1 14 0v13" />
      <path className="tick" d="m12 17.5 3 3 5.5-6" />
    </svg>
  );
}
