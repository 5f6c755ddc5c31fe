import type { Permitry } from '@permitry/sdk';
import { CommandFailure } from '../command-failure.ts';
import { sayVisibly } from '../printing/say.ts';

/** What the gate reports about the credential in use (`GET /v1/me`). */
export interface Me {
  kind: 'agent' | 'secret' | 'verify' | 'user' | 'session';
  credential_id: string;
  name: string | null;
  email: string | null;
  agent: { id: string; name: string } | null;
  rights: readonly string[];
  expires_at: string | null;
  projects: readonly { id: string; name: string; mode: 'test' | 'live'; role: string | null }[];
}

export function readMe(client: Permitry): Promise<Me> {
  return client.request<Me>('GET', '/v1/me');
}

/** The projects to look into: all of the caller's, or the one with this ID or name. */
export function chooseProjects(me: Me, named: string | undefined): readonly string[] {
  const found = me.projects.filter(({ id, name }) => named === undefined || named === id || named === name);
  if (found.length > 0) return found.map(({ id }) => id);
  const own = me.projects.map(({ name }) => sayVisibly(`"${name}"`)).join(', ') || 'none';
  throw new CommandFailure(
    2,
    named === undefined
      ? 'You are not in any project there. Ask an admin for an invitation.'
      : `You are not in a project "${sayVisibly(named)}". Your projects: ${own}.`,
    { code: 'not_found' },
  );
}
