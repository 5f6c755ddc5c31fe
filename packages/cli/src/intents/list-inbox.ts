import type { InboxOrder } from '@permitry/protocol';
import type { Permitry } from '@permitry/sdk';
import type { Column } from '../printing/print.ts';
import { shortAge } from '../printing/say.ts';
import type { ConnectionFlags } from '../profile/open-client.ts';
import { chooseProjects, readMe } from '../profile/read-me.ts';

/** A pending request, as the gate lists it. `--json` passes on the members that are not shown here. */
export interface InboxItem {
  id: string;
  project_id: string;
  project_name: string;
  status: string;
  action: string;
  /** The start of the parameters, and how many characters are left out. */
  params_preview: { text: string; more: number };
  risk_tier: string;
  risk_rated: boolean;
  proof_tier: string;
  requester: { display: string };
  created_at: string;
  expires_at: string;
  approvals_required: number;
  approvals_received: number;
  can_decide: boolean;
  why_not: string | null;
}

export interface InboxFlags extends ConnectionFlags {
  project?: string;
  action?: string;
  risk?: string;
  search?: string;
  mine?: true;
  sort?: InboxOrder;
  limit: number;
}

interface InboxPage {
  data: InboxItem[];
  next_cursor: string | null;
  pending_total: number;
  pending_more: boolean;
}

/**
 * Lists pending requests in the requested order and number. Reads further pages, because one page of the gate may hold
 * fewer.
 */
export async function listInbox(client: Permitry, flags: InboxFlags): Promise<InboxPage> {
  const [projectId] = flags.project === undefined ? [] : chooseProjects(await readMe(client), flags.project);
  const filters = {
    ...(projectId === undefined ? {} : { project: projectId }),
    ...(flags.action === undefined ? {} : { action: flags.action }),
    ...(flags.risk === undefined ? {} : { risk_tier: flags.risk }),
    ...(flags.search === undefined ? {} : { q: flags.search }),
    ...(flags.mine ? { can_decide: 'true' } : {}),
    ...(flags.sort === undefined ? {} : { sort: flags.sort }),
  };
  const data: InboxItem[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: InboxPage = await client.request<InboxPage>('GET', '/console/inbox', {
      query: {
        ...filters,
        limit: Math.min(flags.limit - data.length, 200),
        ...(cursor === null ? {} : { cursor }),
      },
    });
    data.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null || data.length >= flags.limit) return { ...page, data };
  }
}

export const inboxColumns: readonly Column<InboxItem>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'ACTION', text: ({ action }) => action },
  {
    title: 'PARAMETERS',
    text: ({ params_preview: { text, more } }) => (more > 0 ? `${text}… (${more} more)` : text),
    shrinks: true,
  },
  { title: 'REQUESTER', text: ({ requester }) => requester.display, shrinks: true },
  { title: 'RISK', text: ({ risk_tier, risk_rated }) => (risk_rated ? risk_tier : 'not rated') },
  {
    title: 'APPROVALS',
    text: ({ approvals_received, approvals_required }) => `${approvals_received}/${approvals_required}`,
  },
  { title: 'EXPIRES', text: ({ expires_at }) => shortAge(expires_at) },
  { title: 'YOU', text: standing, shrinks: true },
];

/** Short forms of the reason codes that are not words for people. */
const SHORT_REASONS: Readonly<Record<string, string>> = {
  already_voted: 'you approved it',
  person_required: 'sign-in required',
  resolved: 'already decided',
  viewer: 'can only read',
};

function standing({ can_decide: can, why_not: whyNot, proof_tier: tier }: InboxItem): string {
  if (!can) return whyNot === null ? '-' : (SHORT_REASONS[whyNot] ?? whyNot.replaceAll('_', ' '));
  return tier === 'none' ? 'may decide' : `may decide (${tier})`;
}
