import { alteredLog } from './altered-log.ts';
import { inShort } from './short-form.ts';

inShort(alteredLog);
