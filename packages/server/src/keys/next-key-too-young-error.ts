import type { Instant } from '../gate/kernel/instant.ts';

/** A rotation to a key that verifiers may not know yet. */
export class NextKeyTooYoungError extends Error {
  readonly readyAt: Instant;

  constructor(readyAt: Instant) {
    super(
      `The next key may sign from ${readyAt} on. Until then, verifiers may have cached a key set without it.`,
    );
    this.name = 'NextKeyTooYoungError';
    this.readyAt = readyAt;
  }
}
