/**
 * Queries that several pages of a project share. Keys start with `projects` and the ID, so that a change refetches what
 * it affects.
 */
import { queryOptions } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { api } from '../../../api/client.ts';
import { type PageOf, reading } from '../../../api/reading.ts';
import { useRole } from '../../../api/session.ts';
import type { Agent, Group, Key, Member, OwnProjects, ProjectState } from './wire.ts';

export function useProjectId(): string {
  const { projectId } = useParams();
  if (projectId === undefined) throw new Error('This page belongs to a project.');
  return projectId;
}

/** The page's project, and the reader's role in it. */
export function useProject() {
  const projectId = useProjectId();
  const { role, isAtLeast } = useRole(projectId);
  return {
    projectId,
    role,
    isAtLeast,
    mayManage: isAtLeast('admin'),
    /** For its published routes. */
    path: (rest = '') => projectPath(projectId, rest),
    /** For the routes that only the dashboard uses. */
    consolePath: (rest = '') => `/console/projects/${encodeURIComponent(projectId)}${rest}`,
  };
}

/** The path of a project's published routes. */
export function projectPath(projectId: string, rest = ''): string {
  return `/v1/projects/${encodeURIComponent(projectId)}${rest}`;
}

export const ownProjectsQuery = reading<OwnProjects>(['projects'], '/console/projects');

export const projectQuery = (projectId: string) =>
  reading<ProjectState>(['projects', projectId, 'state'], projectPath(projectId));

export const membersQuery = (projectId: string) => listQuery<Member>(projectId, 'members');
export const groupsQuery = (projectId: string) => listQuery<Group>(projectId, 'groups');
export const agentsQuery = (projectId: string) => listQuery<Agent>(projectId, 'agents');
export const keysQuery = (projectId: string) => listQuery<Key>(projectId, 'keys');

/** The most pages to read: nobody looks through more. If a project has more, the list says so. */
const MOST_PAGES = 10;
const PAGE_LENGTH = 200;

/** A list that people choose from, read in full. */
interface WholeList<T> {
  items: T[];
  /** There are more items than were read. */
  isCut: boolean;
}

function listQuery<T>(projectId: string, noun: 'members' | 'groups' | 'agents' | 'keys') {
  return queryOptions({
    queryKey: ['projects', projectId, noun],
    queryFn: async ({ signal }): Promise<WholeList<T>> => {
      const items: T[] = [];
      let cursor: string | null = null;
      for (let pages = 0; pages < MOST_PAGES; pages++) {
        const query = { limit: PAGE_LENGTH, cursor };
        const page: PageOf<T> = await api.get(projectPath(projectId, `/${noun}`), { query, signal });
        items.push(...page.data);
        cursor = page.next_cursor;
        if (cursor === null) break;
      }
      return { items, isCut: cursor !== null };
    },
  });
}
