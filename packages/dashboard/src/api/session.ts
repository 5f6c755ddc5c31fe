/** Who sits at this page. */
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { api } from './client.ts';

export type Mode = 'test' | 'live';
export type Role = 'owner' | 'admin' | 'approver' | 'viewer';

export interface Membership {
  project_id: string;
  project_name: string;
  mode: Mode;
  role: Role;
}

export interface SignedIn {
  signed_in: true;
  /** The name is null for people who never signed in, e.g. an owner made at the command line. */
  user: { id: string; email: string; name: string | null };
  memberships: Membership[];
  methods: string[];
  signed_in_at: string;
  expires_at: string;
}

interface SignedOut {
  signed_in: false;
  set_up_needed: boolean;
  oidc: { id: string; name: string }[];
}

export type Session = SignedIn | SignedOut;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => api.get<Session>('/console/session', { signal, staysOnUnauthorized: true }),
  staleTime: 60_000,
});

/** The session as it is known, with its loading and error states. */
export function useSession() {
  return useQuery(sessionQuery);
}

/** The person signed in. For pages inside the shell, which are only shown to people who are. */
export function useSignedIn(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data.signed_in) throw new Error('This page is for people who are signed in.');
  return data;
}

const LADDER: readonly Role[] = ['viewer', 'approver', 'admin', 'owner'];

/** My role in a project, or undefined; and whether it is at least another. */
export function useRole(projectId: string | undefined) {
  const role = useSignedIn().memberships.find(({ project_id }) => project_id === projectId)?.role;
  return {
    role,
    isAtLeast: (least: Role) => role !== undefined && LADDER.indexOf(role) >= LADDER.indexOf(least),
  };
}
