/** Texts of the overview. */
import type { ReactNode } from 'react';
import { formatCount } from '../../../ui/format.ts';
import { say } from '../../../ui/say.ts';

export const covers = (all: number, latest: number, since: ReactNode) =>
  say`Daily totals cover all ${formatCount(all)} requests. Everything else uses the latest ${formatCount(latest)}, since ${since}.`;
