/** Which dialog of the editor is open. */
import { signal } from '@preact/signals';

export type DialogName = 'examples' | 'drafts' | 'copy' | 'link' | 'help' | 'save';

export const openDialog = signal<DialogName | undefined>(undefined);

export function showDialog(name: DialogName): void {
  openDialog.value = name;
}

export function closeDialog(): void {
  openDialog.value = undefined;
}
