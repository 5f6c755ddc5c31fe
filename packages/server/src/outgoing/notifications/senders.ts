/** How each channel hands over what it has for one target. */
import type { Channel } from '../../gate/notifications/notification.ts';
import type { Tellings } from './to-mail.ts';

/**
 * `gone`: the target takes nothing any more, for good. `failed`: to be tried again; `afterSeconds`, when the other side
 * said so. The words of an error name no address.
 */
export type Handover =
  | { kind: 'sent' }
  | { kind: 'gone'; error: string }
  | { kind: 'failed'; error: string; afterSeconds?: number };

export interface Sender {
  readonly channel: Channel;
  /** At least so long between two messages to one target. */
  readonly paceSeconds: number;
  /** So many targets are served at once. */
  readonly lanes: number;
  /** Whether this channel can send anything. */
  readonly ready: boolean;
  /** All that is due for a target, at once. Does not throw for what the other side does. */
  send(target: string, tellings: Tellings, unlisted: number): Promise<Handover>;
}
