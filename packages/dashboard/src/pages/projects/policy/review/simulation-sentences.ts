import * as words from './review.words.ts';
import type { SimulationSummary } from './simulation-stream.ts';

/** One line of a simulation's result, most important first. `loosens`: the draft requires less than people did. */
export interface SimulationSentence {
  tone: 'loosens' | 'tightens';
  count: number;
  text: string;
}

type Became = SimulationSummary['became'];

type Outcome = 'allow' | 'require_approval' | 'deny';

/** What happened to the requests, what the draft would do, and the sentence about their number. */
const SENTENCES: readonly [keyof Became, Outcome, SimulationSentence['tone'], (count: number) => string][] = [
  ['denied', 'allow', 'loosens', words.would.allowDenied],
  ['refused', 'allow', 'loosens', words.would.allowRefused],
  ['approved', 'allow', 'loosens', words.would.allowApproved],
  ['expired', 'allow', 'loosens', words.would.allowExpired],
  ['pending', 'allow', 'loosens', words.would.allowPending],
  ['refused', 'require_approval', 'loosens', words.would.reviewRefused],
  ['allowed', 'require_approval', 'tightens', words.would.reviewAllowed],
  ['allowed', 'deny', 'tightens', words.would.denyAllowed],
  ['approved', 'deny', 'tightens', words.would.denyApproved],
  ['denied', 'deny', 'tightens', words.would.denyDenied],
  ['expired', 'deny', 'tightens', words.would.denyExpired],
  ['pending', 'deny', 'tightens', words.would.denyPending],
];

/** The draft's decisions compared with those of people and policy. */
export function simulationSentences(became: Became): SimulationSentence[] {
  return SENTENCES.flatMap(([fate, draft, tone, sentence]) => {
    const count = became[fate][draft];
    return count === 0 ? [] : [{ tone, count, text: sentence(count) }];
  });
}
