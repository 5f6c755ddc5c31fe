/** A gate with people at browsers, and their inbox as the page asks for it. */

import type { ProjectMode, Role } from '@permitry/protocol';
import type { InboxItem } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http-shared/open-test-app.ts';

type Item = Static<typeof InboxItem>;

export interface InboxApp extends TestApp {
  /** A pending request of the first agent; answers its id. */
  ask(action: string, more?: object): Promise<string>;
  /** A member at a browser. */
  addSession(email: string, role: Role): Promise<SignedIn>;
  list(
    who: SignedIn,
    query?: string,
    path?: string,
  ): Promise<{
    status: number;
    items: Item[];
    actions: string[];
    next: string | null;
    body: Record<string, unknown>;
  }>;
}

export async function openInbox({ mode = 'live' }: { mode?: ProjectMode } = {}): Promise<InboxApp> {
  const t = await openTestApp({ mode });
  return {
    ...t,
    async ask(action, more = {}) {
      const { status, body } = await t.call('POST', '/v1/intents', {
        key: t.first.agent_key,
        body: { action, ...more },
      });
      if (status !== 201) throw new Error(`asking for ${action} was answered ${JSON.stringify(body)}`);
      return String(body.id);
    },
    async addSession(email, role) {
      return signedIn(t.gate, (await t.addPerson(email, role)).userId);
    },
    async list(who, query = '', path = '/console/inbox') {
      const { status, body } = await t.call('GET', `${path}?${query}`, { headers: who.headers });
      const items = (body.data ?? []) as Item[];
      return {
        status,
        items,
        actions: items.map(({ action }) => action),
        next: (body.next_cursor ?? null) as string | null,
        body,
      };
    },
  };
}
