import type { Fact } from '../mail/compose-mail.ts';

/** A notice in words, before a channel formats it. */
export interface Words {
  /** One line, e.g. `deploy-bot asks for payments.refund`. */
  title: string;
  /** One sentence in the gate's own words. */
  lead: string;
  facts: readonly Fact[];
  /** Path of the page that the notice links to, relative to the gate's address. */
  path: string;
  /** Label of the link to that page. */
  linkLabel: string;
}
