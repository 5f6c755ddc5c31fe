/** What the gate accepts and returns, by schema name: `Wire<'WebhookSchema'>`. Types only; no schema code is loaded. */
import type * as Schemas from '@permitry/protocol/schemas';
import type { Static, TSchema } from 'typebox';

export type Wire<Name extends keyof typeof Schemas> = (typeof Schemas)[Name] extends infer Schema extends
  TSchema
  ? Static<Schema>
  : never;
