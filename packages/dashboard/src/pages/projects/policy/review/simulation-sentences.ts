import type { SimulationSummary } from './simulation-stream.ts';

/** One line of what a simulation found, most important first. `loosens`: the draft asks less than people did. */
export interface SimulationSentence {
  tone: 'loosens' | 'tightens';
  count: number;
  text: string;
}

type Became = SimulationSummary['became'];

const SENTENCES: readonly {
  fate: keyof Became;
  draft: 'allow' | 'require_approval' | 'deny';
  tone: SimulationSentence['tone'];
  say(count: string): string;
}[] = [
  {
    fate: 'denied',
    draft: 'allow',
    tone: 'loosens',
    say: (n) => `would have allowed ${n} that people denied`,
  },
  {
    fate: 'refused',
    draft: 'allow',
    tone: 'loosens',
    say: (n) => `would have allowed ${n} that policy denied`,
  },
  {
    fate: 'approved',
    draft: 'allow',
    tone: 'loosens',
    say: (n) => `would have allowed ${n} that people approved`,
  },
  {
    fate: 'expired',
    draft: 'allow',
    tone: 'loosens',
    say: (n) => `would have allowed ${n} that nobody answered in time`,
  },
  {
    fate: 'pending',
    draft: 'allow',
    tone: 'loosens',
    say: (n) => `would have allowed ${n} that are still waiting`,
  },
  {
    fate: 'refused',
    draft: 'require_approval',
    tone: 'loosens',
    say: (n) => `would have asked about ${n} that policy denied`,
  },
  {
    fate: 'allowed',
    draft: 'require_approval',
    tone: 'tightens',
    say: (n) => `would now ask for ${n} that went through at once`,
  },
  {
    fate: 'allowed',
    draft: 'deny',
    tone: 'tightens',
    say: (n) => `would deny ${n} that went through at once`,
  },
  { fate: 'approved', draft: 'deny', tone: 'tightens', say: (n) => `would deny ${n} that people approved` },
  {
    fate: 'denied',
    draft: 'deny',
    tone: 'tightens',
    say: (n) => `would deny ${n} that people denied, without asking`,
  },
  {
    fate: 'expired',
    draft: 'deny',
    tone: 'tightens',
    say: (n) => `would deny ${n} that nobody answered in time`,
  },
  { fate: 'pending', draft: 'deny', tone: 'tightens', say: (n) => `would deny ${n} that are still waiting` },
];

/** What the draft would have done with what people and policy did. */
export function simulationSentences(became: Became): SimulationSentence[] {
  return SENTENCES.flatMap(({ fate, draft, tone, say }) => {
    const count = became[fate][draft];
    return count === 0 ? [] : [{ tone, count, text: say(count.toLocaleString('en')) }];
  });
}
