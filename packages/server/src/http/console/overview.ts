import { ProjectOverview, StrictObject } from '@permitry/protocol/schemas';
import Type, { type Static } from 'typebox';
import type { ExpiringIntent, Overview, Tally } from '../../gate/overview/overview.ts';
import { Overviews } from '../../gate/overview/overviews.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

const Period = StrictObject({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90 })) });
const DEFAULT_DAYS = 30;

export function overviewRoutes(app: GateApp, { gate }: ConsoleTools): void {
  const overviews = new Overviews(gate);
  app.get(
    '/projects/:id/overview',
    {
      schema: {
        params: ItemPath,
        querystring: Period,
        response: { 200: ProjectOverview },
      },
    },
    async (request) => {
      const { days = DEFAULT_DAYS } = request.query;
      const projectId = request.params.id;
      return toWireOverview(await overviews.read(getPerson(request), { projectId, days }));
    },
  );
}

function toWireOverview(overview: Overview): Static<typeof ProjectOverview> {
  const { sample, timeToDecision, byRule, byPerson, byRequester, expiring } = overview;
  return {
    from: overview.from,
    computed_at: overview.computedAt,
    pending: overview.pending,
    days: [...overview.days],
    sample,
    totals: toWireTally(overview.totals),
    time_to_decision: {
      decided: timeToDecision.decided,
      median_seconds: timeToDecision.medianSeconds,
      p95_seconds: timeToDecision.p95Seconds,
    },
    by_rule: {
      top: byRule.top.map((tally) => ({ rule: tally.rule, ...toWireTally(tally) })),
      others: byRule.others,
    },
    by_person: { top: [...byPerson.top], others: byPerson.others },
    by_requester: {
      top: byRequester.top.map(({ type, id, display, ...tally }) => ({
        type,
        id,
        display,
        ...toWireTally(tally),
      })),
      others: byRequester.others,
    },
    expiring: { data: expiring.intents.map(toWireExpiring), complete: expiring.complete },
  };
}

function toWireTally(tally: Tally): Static<typeof ProjectOverview>['totals'] {
  const { intents, autoApproved, autoDenied, asked, approved, denied, expired } = tally;
  return {
    intents,
    auto_approved: autoApproved,
    auto_denied: autoDenied,
    asked,
    approved,
    denied,
    expired,
  };
}

function toWireExpiring(intent: ExpiringIntent): Static<typeof ProjectOverview>['expiring']['data'][number] {
  return {
    id: intent.id,
    action: intent.action,
    risk_tier: intent.riskTier,
    expires_at: intent.expiresAt,
    approvals_received: intent.approvalsReceived,
    approvals_required: intent.approvalsRequired,
  };
}
