import type { Intent } from '../wire/intent.ts';

/**
 * The action was not approved and did not run. A person or the policy denied it, it was withdrawn, or nobody decided in
 * time (`error.intent.status` is `denied` or `expired`). You can show the message to a model: it says what happened and
 * why, and contains no address.
 *
 * @example
 * try {
 *   return await refund(params);
 * } catch (error) {
 *   if (error instanceof DeniedError) return { refused: error.message };
 *   throw error;
 * }
 */
export class DeniedError extends Error {
  override readonly name: string = 'DeniedError';
  readonly intent: Intent;
  /** The reason in the words of the person or rule that denied it. Null without a reason. */
  readonly reason: string | null;
  /** Name of the policy rule, when a rule denied it. */
  readonly rule?: string;

  constructor(intent: Intent, options: ErrorOptions & { rule?: string | undefined } = {}) {
    super(sentence(intent, options.rule), options);
    this.intent = intent;
    this.reason = intent.reason;
    if (options.rule !== undefined) this.rule = options.rule;
  }
}

function sentence({ action, status, reason }: Intent, rule: string | undefined): string {
  if (status === 'expired') return `Nobody decided on ${action} in time, so it was not run.`;
  if (reason === 'withdrawn') return `The request for ${action} was withdrawn, so it was not run.`;
  const by = rule === undefined ? '' : ` by the policy rule "${rule}"`;
  const why = reason === null || reason === '' ? 'no reason was given' : `the reason given is: ${reason}`;
  return `${action} was denied${by} and was not run; ${why}`;
}
