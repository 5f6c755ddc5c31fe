/** Puts notifications into words, the same for every channel. It makes all texts of others inert. */

import type { Intent } from '../../gate/intents/intent.ts';
import type { ProjectOfNotice, Telling } from '../../gate/notifications/to-telling.ts';
import { toInertLine } from '../inert-text.ts';
import type { Fact } from '../mail/compose-mail.ts';
import { describeAccountNotice } from './account-notices.ts';
import { describeOwnerLeft } from './agent-words.ts';
import { describeProposal } from './proposal-words.ts';
import { describeWebhook } from './webhook-words.ts';
import { toTimeText, type Words } from './words.ts';

const MOST_REASON = 500;

export function toWords(telling: Telling): Words {
  if ('proposal' in telling) return describeProposal(telling);
  if ('webhook' in telling) return describeWebhook(telling);
  if ('agent' in telling) return describeOwnerLeft(telling);
  if (!('intent' in telling)) {
    const { kind, detail, at, project } = telling;
    return kind === 'security' ? describeAccountNotice(detail, at) : describeTest(project);
  }
  const { kind, intent, project } = telling;
  const action = toInertLine(intent.action, 100);
  const who = requesterOf(intent);
  const common = { path: `/approve/${intent.id}` };
  const facts: Fact[] = [
    { name: 'Action', value: action },
    { name: 'Asked by', value: who },
    { name: 'Risk', value: intent.riskTier },
    { name: 'Project', value: `${toInertLine(project.name, 100)} (${project.mode})` },
  ];
  switch (kind) {
    case 'waiting':
    case 'reminder':
      return {
        ...common,
        title: kind === 'waiting' ? `${who} asks for ${action}` : `Still waiting: ${action}`,
        lead:
          kind === 'waiting'
            ? 'A decision of yours is asked for. The page shows exactly what would be done.'
            : 'This still waits for a decision and expires soon.',
        facts: [...facts, ...rule(intent), ...missing(intent), expiry(intent)],
        linkLabel: 'Look at it and decide',
      };
    case 'decided':
    case 'resolved':
      return {
        ...common,
        title: `${capitalised(intent.status)}: ${action}`,
        lead: outcomeOf(intent, kind),
        facts: [...facts, ...by(intent), ...reason(intent)],
        linkLabel: 'See what was decided',
      };
    case 'more_time':
      return {
        ...common,
        title: `More time is asked for: ${action}`,
        lead: 'An approver needs more time than this has. Ask again for it, with a longer one.',
        facts: [...facts, ...comment(intent), expiry(intent)],
        linkLabel: 'Look at it',
      };
    case 'revoked':
      return {
        ...common,
        title: `Revoked: ${action}`,
        lead: 'An approval that you gave was revoked: its permit is refused from now on.',
        facts,
        linkLabel: 'See what was revoked',
      };
  }
}

function describeTest(project: ProjectOfNotice | null): Words {
  return {
    title: 'Permitry can reach you here',
    lead: project
      ? `This is a test message for the project ${toInertLine(project.name, 100)}.`
      : 'You asked for this test message. Nothing waits for you because of it.',
    facts: [],
    path: project ? '/inbox' : '/account/notifications',
    linkLabel: project ? 'Open the inbox' : 'Open your notifications',
  };
}

function outcomeOf(intent: Intent, kind: 'decided' | 'resolved'): string {
  const what = kind === 'decided' ? 'What you or a program of yours asked for' : 'What waited for you';
  if (intent.status === 'approved') return `${what} was approved.`;
  if (intent.status === 'expired') return `${what} expired: nobody decided in time.`;
  return intent.reason === 'withdrawn' ? `${what} was withdrawn.` : `${what} was denied.`;
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

function expiry({ expiresAt }: Intent): Fact {
  return { name: 'Expires', value: toTimeText(expiresAt) };
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
  return text === null ? [] : [{ name: 'Comment', value: toInertLine(text, MOST_REASON) }];
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
