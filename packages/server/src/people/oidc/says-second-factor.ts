/** What somebody knows, and what they have, as RFC 8176 names it. Texts and calls can be had by others, and count as neither. */
const KNOWN: ReadonlySet<unknown> = new Set(['pwd', 'pin', 'kba']);
const HELD: ReadonlySet<unknown> = new Set(['otp', 'hwk', 'swk', 'sc', 'pop']);

/**
 * Whether an ID token's `amr` shows two factors: by its own word (`mfa`), or by naming one of each kind. Whatever else it is
 * shows none.
 *
 * @example saysSecondFactor(['pwd', 'otp']) // true
 */
export function saysSecondFactor(amr: unknown): boolean {
  if (!Array.isArray(amr)) return false;
  return amr.includes('mfa') || (amr.some((one) => KNOWN.has(one)) && amr.some((one) => HELD.has(one)));
}
