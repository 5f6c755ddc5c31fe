import { assertAnswer } from '../calls/http-client.ts';
import type { Intent } from '../wire/intent.ts';

/**
 * @param id Of the intent that was asked for; left out where it is a new one.
 * @throws ConnectionError for JSON that is no intent, or another one: answers can be mixed up on the way
 */
export function assertIntent(intent: Intent, id = intent?.id): Intent {
  assertAnswer(typeof intent?.id === 'string' && intent.id === id && typeof intent.status === 'string');
  return intent;
}
