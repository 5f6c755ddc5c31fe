/** The signed-in person. */
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { use } from 'react';
import { api } from './client.ts';
import type { Wire } from './wire.ts';

export type Session = Wire<'CurrentSession'>;
export type SignedIn = Extract<Session, { signed_in: true }>;
export type Membership = SignedIn['memberships'][number];
export type Role = Membership['role'];
export type Mode = Membership['mode'];

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => api.get<Session>('/console/session', { signal, staysOnUnauthorized: true }),
  staleTime: 60_000,
});

/** The session, with its loading and error states. */
export function useSession() {
  return useQuery(sessionQuery);
}

const NEVER = new Promise<never>(() => {});

/**
 * The signed-in person, for pages inside the shell, which require a session. If the session ends while such a page is
 * open, the page shows nothing until the redirect.
 */
export function useSignedIn(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery);
  return data.signed_in ? data : use(NEVER);
}

// Lowest role first, as in the protocol, whose code is too large for the first load.
const ROLES: readonly Role[] = ['viewer', 'approver', 'admin', 'owner'];

/** Whether a role includes another. A missing role includes none. */
export function reaches(role: Role | undefined, least: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** My role in a project, or undefined; and a function that says whether it includes another role. */
export function useRole(projectId: string | undefined) {
  const role = useSignedIn().memberships.find(({ project_id }) => project_id === projectId)?.role;
  return { role, isAtLeast: (least: Role) => reaches(role, least) };
}
