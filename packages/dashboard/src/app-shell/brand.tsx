/** The logo: a gate with two posts, an arch, and a shape that passes through. */
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
      <path className="arch" d="M9.5 24.5V13.5a6.5 6.5 0 0 1 13 0v11" />
      <path className="tick" d="m12.8 18.5 2.7 2.7 4.8-5.4" />
    </svg>
  );
}
