import type { IntentDeps } from '../intents/intent-deps.ts';
import type { InboxReader } from './inbox.ts';

/** What an inbox takes. */
export type InboxDeps = IntentDeps<InboxReader>;
