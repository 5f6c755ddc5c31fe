import { clock } from './clock.ts';
import { inShort } from './short-form.ts';

inShort(clock);
