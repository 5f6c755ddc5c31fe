/** What the gate takes and answers, by the names of its schemas: `Wire<'WebhookSchema'>`. Types alone: no schema is loaded. */
import type * as Schemas from '@permitry/protocol/schemas';
import type { Static, TSchema } from 'typebox';

export type Wire<Name extends keyof typeof Schemas> = (typeof Schemas)[Name] extends infer Schema extends
  TSchema
  ? Static<Schema>
  : never;
