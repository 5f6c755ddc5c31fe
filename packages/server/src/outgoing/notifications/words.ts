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
