import type { SigningKeys } from './signing-keys.ts';

/** What a running server asks once a minute. A rotation that fails leaves the active key signing, and is tried again. */
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
