import { assertAnswer } from '../calls/http-client.ts';
import type { Intent } from '../wire/intent.ts';

/**
 * @param id Of the requested intent. Omit it for a new one.
 * @throws ConnectionError for JSON that is not an intent, or is another one: answers can be mixed up in transit
 */
export function assertIntent(intent: Intent, id = intent?.id): Intent {
  assertAnswer(typeof intent?.id === 'string' && intent.id === id && typeof intent.status === 'string');
  return intent;
}
