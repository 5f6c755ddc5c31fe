/** Who sits at this page. */
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

/** The session as it is known, with its loading and error states. */
export function useSession() {
  return useQuery(sessionQuery);
}

const NEVER = new Promise<never>(() => {});

/**
 * The person signed in. For pages inside the shell, which are only shown to people who are: one that is still there in the
 * moment a session ends shows nothing more, until it is led away from.
 */
export function useSignedIn(): SignedIn {
  const { data } = useSuspenseQuery(sessionQuery);
  return data.signed_in ? data : use(NEVER);
}

// As the protocol lists them; its code is not for the first load.
const ROLES: readonly Role[] = ['viewer', 'approver', 'admin', 'owner'];

/** Whether a role includes another; nobody's includes none. */
export function reaches(role: Role | undefined, least: Role): boolean {
  return role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(least);
}

/** My role in a project, or undefined; and whether it is at least another. */
export function useRole(projectId: string | undefined) {
  const role = useSignedIn().memberships.find(({ project_id }) => project_id === projectId)?.role;
  return { role, isAtLeast: (least: Role) => reaches(role, least) };
}
