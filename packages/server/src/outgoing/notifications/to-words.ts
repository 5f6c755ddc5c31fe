/**
 * Puts notifications into words, the same for every channel. It makes all texts of others inert. A chat has many
 * readers, so only a notification for one person alone says "you".
 */

import type { Intent } from '../../gate/intents/intent.ts';
import type { ProjectOfNotice, Telling } from '../../gate/notifications/to-telling.ts';
import { toInertLine } from '../inert-text.ts';
import type { Fact } from '../mail/compose-mail.ts';
import { toTimeText } from '../time-text.ts';
import { describeAccountNotice } from './account-notices.ts';
import { describeOwnerLeft } from './agent-words.ts';
import { describeProposal } from './proposal-words.ts';
import { describeWebhook } from './webhook-words.ts';
import type { Words } from './words.ts';

const MOST_REASON = 500;

export function toWords(telling: Telling, timeZone: string): Words {
  if ('proposal' in telling) return describeProposal(telling, timeZone);
  if ('webhook' in telling) return describeWebhook(telling, timeZone);
  if ('agent' in telling) return describeOwnerLeft(telling, timeZone);
  if (!('intent' in telling)) {
    const { kind, detail, at, project } = telling;
    return kind === 'security' ? describeAccountNotice(detail, at, timeZone) : describeTest(project);
  }
  const { kind, intent, project } = telling;
  const action = toInertLine(intent.action, 100);
  const who = requesterOf(intent);
  const common = { path: `/approve/${intent.id}` };
  const facts: Fact[] = [
    { name: 'Action', value: action },
    { name: 'Requested by', value: who },
    { name: 'Risk', value: capitalised(intent.riskTier) },
    { name: 'Project', value: `${toInertLine(project.name, 100)} (${project.mode} mode)` },
  ];
  switch (kind) {
    case 'waiting':
    case 'reminder':
      return {
        ...common,
        title: kind === 'waiting' ? `${who} asks for ${action}` : `Reminder: ${who} asks for ${action}`,
        lead:
          kind === 'waiting'
            ? 'This request needs review. Its page shows exactly what would run.'
            : 'This request is still pending and expires soon.',
        facts: [...facts, ...rule(intent), ...missing(intent), expiry(intent, timeZone)],
        linkLabel: 'Review request',
      };
    case 'decided':
    case 'resolved':
      return {
        ...common,
        title: `${isWithdrawn(intent) ? 'Withdrawn' : capitalised(intent.status)}: ${action}`,
        lead: outcomeOf(intent, kind),
        facts: [...facts, ...by(intent), ...reason(intent)],
        linkLabel: 'View request',
      };
    case 'more_time':
      return {
        ...common,
        title: `More time needed: ${action}`,
        lead: 'An approver asked for more time. Resubmit the request with a later expiry.',
        facts: [...facts, ...comment(intent), expiry(intent, timeZone)],
        linkLabel: 'View request',
      };
    case 'revoked':
      return {
        ...common,
        title: `Approval revoked: ${action}`,
        lead: 'The approval of this request was revoked. Its permits are refused from now on.',
        facts,
        linkLabel: 'View request',
      };
  }
}

function describeTest(project: ProjectOfNotice | null): Words {
  return {
    title: 'Permitry can reach you here',
    lead: project
      ? `This is a test message for the project ${toInertLine(project.name, 100)}.`
      : 'This is the test message that you asked for. There is nothing to review.',
    facts: [],
    path: project ? '/inbox' : '/account/notifications',
    linkLabel: project ? 'Open inbox' : 'Open notification settings',
  };
}

function outcomeOf(intent: Intent, kind: 'decided' | 'resolved'): string {
  const what = kind === 'decided' ? 'This request' : 'This request no longer needs your review. It';
  if (intent.status === 'expired') {
    return `${what} expired without ${intent.approvalsReceived > 0 ? 'enough approvals' : 'a decision'}.`;
  }
  return `${what} was ${isWithdrawn(intent) ? 'withdrawn by its requester' : intent.status}.`;
}

function isWithdrawn({ reason }: Intent): boolean {
  return reason === 'withdrawn';
}

function requesterOf({ source, requester }: Intent): string {
  return toInertLine(source ?? requester.display, 80);
}

function rule({ rule: name }: Intent): Fact[] {
  return name === null ? [] : [{ name: 'Rule', value: toInertLine(name, 100) }];
}

function missing({ approvalsReceived, approvalsRequired }: Intent): Fact[] {
  if (approvalsRequired < 2) return [];
  return [{ name: 'Approvals', value: `${approvalsReceived} of ${approvalsRequired}` }];
}

function expiry({ expiresAt }: Intent, timeZone: string): Fact {
  return { name: 'Expires', value: toTimeText(expiresAt, timeZone) };
}

function by({ status, resolvedBy }: Intent): Fact[] {
  return status === 'expired' || resolvedBy === null
    ? []
    : [{ name: 'Decided by', value: toInertLine(resolvedBy) }];
}

function reason({ reason: text }: Intent): Fact[] {
  return text === null || text === 'withdrawn'
    ? []
    : [{ name: 'Reason', value: toInertLine(text, MOST_REASON) }];
}

function comment({ extensionRequest }: Intent): Fact[] {
  const text = extensionRequest?.comment ?? null;
  return text === null ? [] : [{ name: 'Message', value: toInertLine(text, MOST_REASON) }];
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
