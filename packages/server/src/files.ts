/** Functions for commands that load nothing else of the gate: one writes whole files, one reads secret settings. */
export { writeWholeFile } from './files/whole-file.ts';
export { readSecretSetting } from './settings/secret-setting.ts';
