/**
 * RFC 8176 names for what a person knows (here) and has (below). Text messages and calls can be intercepted, so they
 * count as neither.
 */
const KNOWN: ReadonlySet<unknown> = new Set(['pwd', 'pin', 'kba']);
const HELD: ReadonlySet<unknown> = new Set(['otp', 'hwk', 'swk', 'sc', 'pop']);

/**
 * Whether an ID token's `amr` shows two factors: it says `mfa`, or it names one factor of each kind. Any other value
 * does not show two factors.
 * @example saysSecondFactor(['pwd', 'otp']) // true
 */
export function saysSecondFactor(amr: unknown): boolean {
  if (!Array.isArray(amr)) return false;
  return amr.includes('mfa') || (amr.some((one) => KNOWN.has(one)) && amr.some((one) => HELD.has(one)));
}
