import { INBOX_ORDERS } from '@permitry/protocol';
import { HistoryPage, InboxItems, InboxPage, RiskTierSchema, StrictObject } from '@permitry/protocol/schemas';
import Type, { type Static } from 'typebox';
import type { BrowseFilters } from '../../gate/inbox/inbox.ts';
import { listHistory } from '../../gate/inbox/list-history.ts';
import { listInbox } from '../../gate/inbox/list-inbox.ts';
import { listItems } from '../../gate/inbox/list-items.ts';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';
import { getReviewer } from './get-reviewer.ts';
import { toWireInboxItem } from './to-wire-inbox-item.ts';

const Words = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }));

const FILTERS = {
  project: Type.Optional(Type.String({ maxLength: 64 })),
  action: Words,
  risk_tier: Type.Optional(RiskTierSchema),
  source: Words,
  q: Words,
};
const InboxQuery = StrictObject({
  ...FILTERS,
  can_decide: Type.Optional(Type.Enum(['true', 'false'])),
  sort: Type.Optional(Type.Enum([...INBOX_ORDERS])),
  ...PAGE_QUERY,
});
const ItemsQuery = StrictObject({
  ids: Type.String({ minLength: 1, maxLength: 2000, description: 'Separated by commas.' }),
});
const HistoryQuery = StrictObject({
  ...FILTERS,
  status: Type.Optional(Type.Enum(['approved', 'denied', 'expired'])),
  decider: Words,
  from: Words,
  to: Words,
  ...PAGE_QUERY,
});

export function inboxRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.get(
    '/inbox',
    { schema: { querystring: InboxQuery, response: { 200: InboxPage } } },
    async (request) => {
      const { query } = request;
      const page = await listInbox(gate, getReviewer(request), {
        ...toPageRequest(query),
        ...toFilters(query),
        ...onlyGiven({ order: query.sort }),
        ...(query.can_decide === undefined ? {} : { canDecide: query.can_decide === 'true' }),
      });
      return {
        ...toWirePage(page, toWireInboxItem),
        pending_total: page.pending.count,
        pending_more: page.pending.orMore,
      };
    },
  );

  app.get(
    '/inbox/items',
    { schema: { querystring: ItemsQuery, response: { 200: InboxItems } } },
    async (request) => {
      const items = await listItems(gate, getPerson(request), request.query.ids.split(','));
      return { data: items.map(toWireInboxItem) };
    },
  );

  app.get(
    '/history',
    { schema: { querystring: HistoryQuery, response: { 200: HistoryPage } } },
    async (request) => {
      const { query } = request;
      const { status, decider, from, to } = query;
      const page = await listHistory(gate, getPerson(request), {
        ...toPageRequest(query),
        ...toFilters(query),
        ...onlyGiven({ status, decider, from, to }),
      });
      return toWirePage(page, toWireInboxItem);
    },
  );
}

type WireFilters = Static<Type.TObject<typeof FILTERS>>;

function toFilters({ project, action, risk_tier: riskTier, source, q }: WireFilters): BrowseFilters {
  return onlyGiven({ projectId: project, action, riskTier, source, q });
}
