/** What changed while the page was open, in sentences. Pure. */
import type { ShownIntent } from '../../decide/check-hashes.ts';
import * as words from './approve.words.ts';

export interface News {
  tone: 'good' | 'warn' | 'bad' | 'info';
  text: string;
  /** A foreign text that belongs to the sentence, e.g. a reason. */
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
    news.push(plain('warn', words.newsRequirement(progress(after))));
  }
  if (!before.policy.changed && after.policy.changed) {
    news.push(plain('warn', words.newsPolicy));
  }
  const extension = before.extension_requested === null ? after.extension_requested : null;
  if (extension !== null && extension.by !== onlooker.email) {
    news.push(plain('info', words.newsAskedForTime(extension.by)));
  }
  if (before.can_approve && !after.can_approve && after.why_not !== 'already_voted' && news.length === 0) {
    news.push(plain('warn', words.newsNoLongerYours));
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
    const verb = vote.decision === 'approve' ? words.approvedWord : words.deniedWord;
    return [
      plain(
        'info',
        vote.mine
          ? words.newsYouVoted(verb, progress(after))
          : words.newsVoted(vote.by, verb, progress(after)),
      ),
    ];
  });
}

function newsOfEnd(after: ShownIntent, { email, decidedHere }: Onlooker): News[] {
  if (after.status === 'expired') {
    return [plain('warn', words.newsExpired)];
  }
  if (after.withdrawn) return [plain('info', words.newsWithdrawn)];
  const verb = after.status === 'approved' ? words.approvedWord : words.deniedWord;
  const isOwn = after.resolved_by === email;
  if (isOwn && decidedHere) return [];
  const text = isOwn ? words.newsYouDecided(verb) : words.newsDecided(sayDecider(after.resolved_by), verb);
  return [{ tone: 'info', text, quote: isOwn ? null : after.reason }];
}

function newsOfUse(before: ShownIntent, after: ShownIntent): News[] {
  if (before.permit.revoked_at === null && after.permit.revoked_at !== null) {
    return [{ tone: 'warn', text: words.newsRevoked, quote: null }];
  }
  return [];
}

function progress({ approvals_received, approvals_required }: ShownIntent): string {
  return words.progress(approvals_received, approvals_required);
}

/** `policy:<rule>` is a rule; anything else is a person. */
export function sayDecider(by: string | null): string {
  if (by === null) return words.someone;
  return by.startsWith('policy:') ? words.policyRule(by.slice('policy:'.length)) : by;
}
