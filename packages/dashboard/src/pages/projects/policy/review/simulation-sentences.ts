import { formatCount } from '../../../../ui/format.ts';
import type { SimulationSummary } from './simulation-stream.ts';

/** One line of a simulation's result, most important first. `loosens`: the draft requires less than people did. */
export interface SimulationSentence {
  tone: 'loosens' | 'tightens';
  count: number;
  text: string;
}

type Became = SimulationSummary['became'];

type Outcome = 'allow' | 'require_approval' | 'deny';

/** What happened to the requests, what the draft would do, and the sentence, with # for the number. */
const SENTENCES: readonly [keyof Became, Outcome, SimulationSentence['tone'], string][] = [
  ['denied', 'allow', 'loosens', 'would have allowed # that people denied'],
  ['refused', 'allow', 'loosens', 'would have allowed # that policy denied'],
  ['approved', 'allow', 'loosens', 'would have allowed # that people approved'],
  ['expired', 'allow', 'loosens', 'would have allowed # that nobody answered in time'],
  ['pending', 'allow', 'loosens', 'would have allowed # that are still waiting'],
  ['refused', 'require_approval', 'loosens', 'would have asked about # that policy denied'],
  ['allowed', 'require_approval', 'tightens', 'would now ask for # that went through at once'],
  ['allowed', 'deny', 'tightens', 'would deny # that went through at once'],
  ['approved', 'deny', 'tightens', 'would deny # that people approved'],
  ['denied', 'deny', 'tightens', 'would deny # that people denied, without asking'],
  ['expired', 'deny', 'tightens', 'would deny # that nobody answered in time'],
  ['pending', 'deny', 'tightens', 'would deny # that are still waiting'],
];

/** The draft's decisions compared with those of people and policy. */
export function simulationSentences(became: Became): SimulationSentence[] {
  return SENTENCES.flatMap(([fate, draft, tone, sentence]) => {
    const count = became[fate][draft];
    return count === 0 ? [] : [{ tone, count, text: sentence.replace('#', formatCount(count)) }];
  });
}
