export const MAX_PAGE_ITEMS = 100;
