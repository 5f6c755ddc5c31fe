import type { SigningKeys } from './signing-keys.ts';

/**
 * Called once a minute by a running server. If a rotation fails, the active key still signs, and the next call tries
 * again.
 */
export async function rotateOnSchedule(
  signer: Pick<SigningKeys, 'rotateIfDue'>,
  /** 0: never. */
  days: number,
  on: { rotated: (kid: string) => Promise<void>; error: (error: unknown) => void },
): Promise<void> {
  try {
    const kid = await signer.rotateIfDue(days);
    if (kid !== undefined) await on.rotated(kid);
  } catch (error) {
    on.error(error);
  }
}
