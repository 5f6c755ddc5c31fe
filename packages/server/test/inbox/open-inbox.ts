/** A gate with signed-in people, and their inbox as the page requests it. */

import type { ProjectMode, Role } from '@permitry/protocol';
import type { InboxItem } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { asShown } from '../fixtures/as-shown.ts';
import { type SignedIn, signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

type Item = Static<typeof InboxItem>;

export interface InboxApp extends TestApp {
  /** Sends a request by the first agent and returns its ID. */
  ask(action: string, more?: object): Promise<string>;
  /** Approves each action once, so that a list may approve the next request for it. */
  known(...actions: string[]): Promise<void>;
  /** Adds a member who is signed in. */
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
  const owner = await signedIn(t.gate, t.owner.userId);
  const ask = async (action: string, more: object = {}): Promise<string> => {
    const { status, body } = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action, ...more },
    });
    if (status !== 201) throw new Error(`asking for ${action} was answered ${JSON.stringify(body)}`);
    return String(body.id);
  };
  return {
    ...t,
    ask,
    async known(...actions) {
      for (const action of actions) {
        const id = await ask(action, { params: { known: true } });
        const body = await asShown(t.gate, id);
        const { status } = await t.call('POST', `/v1/intents/${id}/approve`, {
          headers: owner.headers,
          body,
        });
        if (status !== 200) throw new Error(`${action} was not approved`);
      }
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
