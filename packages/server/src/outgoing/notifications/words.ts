import type { Instant } from '../../gate/kernel/instant.ts';
import type { Fact } from '../mail/compose-mail.ts';

/** A notice in words, before a channel gives it a form. */
export interface Words {
  /** One line, e.g. `deploy-bot asks for payments.refund`. */
  title: string;
  /** One sentence of ours. */
  lead: string;
  facts: readonly Fact[];
  /** Path of the page to go on to, relative to the gate's address. */
  path: string;
  /** Label of the link to that page. */
  linkLabel: string;
}

/** `2026-11-20 05:37 UTC` */
export function toTimeText(instant: Instant): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`;
}
