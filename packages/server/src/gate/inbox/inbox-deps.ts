import type { IntentDeps } from '../intents/intent-deps.ts';
import type { InboxReader } from './inbox.ts';

/** Dependencies of the inbox operations. */
export type InboxDeps = IntentDeps<InboxReader>;
