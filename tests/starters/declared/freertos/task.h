/* FreeRTOS of ESP-IDF, as a declaration. */
void vTaskDelay(TickType_t ticks);
