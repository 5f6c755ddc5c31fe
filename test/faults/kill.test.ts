import { kill } from './kill.ts';
import { inShort } from './short-form.ts';

inShort(kill);
