import type { Intent } from '../wire/intent.ts';

/**
 * Nobody decided within `waitMs`. The intent is still pending: wait again or withdraw it.
 *
 * @example if (error instanceof WaitTimeoutError) console.log('Still open:', error.intent.approval_url);
 */
export class WaitTimeoutError extends Error {
  override readonly name: string = 'WaitTimeoutError';
  /** The intent as last read. */
  readonly intent: Intent;

  constructor(intent: Intent, waitMs: number, options?: ErrorOptions) {
    super(
      `Nobody decided on ${intent.action} (${intent.id}) within ${seconds(waitMs)}. It can be decided until ${intent.expires_at}.`,
      options,
    );
    this.intent = intent;
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
