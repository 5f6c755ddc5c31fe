import { diskFull, diskFullByShim } from './disk-full.ts';
import { inShort } from './short-form.ts';

inShort(diskFull);
inShort(diskFullByShim);
