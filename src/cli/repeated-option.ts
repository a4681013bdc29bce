/** For commander: collects the values of an option that may be repeated. */
export const each = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
