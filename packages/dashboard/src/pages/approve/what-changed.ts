/** What changed while the page was open, in sentences. Pure. */
import type { ShownIntent } from '../../decide/check-hashes.ts';

export interface News {
  tone: 'good' | 'warn' | 'bad' | 'info';
  text: string;
  /** A foreign text that belongs to it, e.g. a reason. */
  quote: string | null;
}

/** The reader, and whether this window sent a decision of theirs. */
export interface Onlooker {
  email: string;
  decidedHere: boolean;
}

/**
 * @example findNews(before, after, onlooker) // [{ text: 'bob@example.org denied this while you had it open.' … }]
 */
export function findNews(before: ShownIntent, after: ShownIntent, onlooker: Onlooker): News[] {
  if (before.status === 'pending' && after.status !== 'pending') return newsOfEnd(after, onlooker);
  if (before.status !== 'pending') return newsOfUse(before, after);
  const news = newsOfVotes(before, after, onlooker);
  if (news.length === 0 && before.approvals_required !== after.approvals_required) {
    news.push(plain('warn', `The approvals needed have changed: ${progress(after)}.`));
  }
  if (!before.policy.changed && after.policy.changed) {
    news.push(plain('warn', 'The policy of this project changed while you had it open.'));
  }
  const extension = before.extension_requested === null ? after.extension_requested : null;
  if (extension !== null && extension.by !== onlooker.email) {
    news.push(plain('info', `${extension.by} asked the requester for more time.`));
  }
  if (before.can_approve && !after.can_approve && after.why_not !== 'already_voted' && news.length === 0) {
    news.push(plain('warn', 'You can no longer decide this.'));
  }
  return news;
}

function plain(tone: News['tone'], text: string): News {
  return { tone, text, quote: null };
}

function newsOfVotes(before: ShownIntent, after: ShownIntent, { decidedHere }: Onlooker): News[] {
  return after.votes.flatMap((vote) => {
    const known = before.votes.some(({ by, decision }) => by === vote.by && decision === vote.decision);
    if (known || (vote.mine && decidedHere)) return [];
    const verb = vote.decision === 'approve' ? 'approved' : 'denied';
    const who = vote.mine ? 'You' : vote.by;
    const where = vote.mine ? 'in another window' : 'while you had it open';
    return [plain('info', `${who} ${verb} this ${where}: ${progress(after)}.`)];
  });
}

function newsOfEnd(after: ShownIntent, { email, decidedHere }: Onlooker): News[] {
  if (after.status === 'expired') {
    return [plain('warn', 'This request expired while you had it open.')];
  }
  if (after.withdrawn) return [plain('info', 'The requester withdrew this while you had it open.')];
  const verb = after.status === 'approved' ? 'approved' : 'denied';
  const isOwn = after.resolved_by === email;
  if (isOwn && decidedHere) return [];
  const text = isOwn
    ? `You ${verb} this in another window.`
    : `${sayDecider(after.resolved_by)} ${verb} this while you had it open.`;
  return [{ tone: 'info', text, quote: isOwn ? null : after.reason }];
}

function newsOfUse(before: ShownIntent, after: ShownIntent): News[] {
  if (before.permit.revoked_at === null && after.permit.revoked_at !== null) {
    return [{ tone: 'warn', text: 'The approval was revoked. Its permit is refused.', quote: null }];
  }
  return [];
}

function progress({ approvals_received, approvals_required }: ShownIntent): string {
  return `${approvals_received} of ${approvals_required} approvals`;
}

/** `policy:<rule>` is a rule; anything else is a person. */
export function sayDecider(by: string | null): string {
  if (by === null) return 'Somebody';
  return by.startsWith('policy:') ? `The policy rule “${by.slice('policy:'.length)}”` : by;
}
